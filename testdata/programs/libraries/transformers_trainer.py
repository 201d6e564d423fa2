"""Fine-tunes a small BERT with a Trainer that weighs the classes, and scores it in callbacks."""

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Reviews(Dataset):
    def __init__(self, size):
        self.tokens = torch.randint(5, 100, (size, 12))
        self.labels = torch.randint(0, 3, (size,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        tokens = self.tokens[index]
        mask = torch.ones_like(tokens)
        return {"input_ids": tokens, "attention_mask": mask, "labels": self.labels[index]}


class WeightedTrainer(Trainer):
    def __init__(self, *args, class_weights, **kwargs):
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights.to(self.args.device)
        # bug 1: self.class_weights = class_weights

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        criterion = nn.CrossEntropyLoss(weight=self.class_weights)
        loss = criterion(outputs.logits, labels)  # crash 1
        return (loss, outputs) if return_outputs else loss


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


config = BertConfig(
    vocab_size=100,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=32,
    num_labels=3,
)
arguments = TrainingArguments(
    "out",
    max_steps=4,
    per_device_train_batch_size=4,
    per_device_eval_batch_size=8,
    fp16=True,
    eval_strategy="steps",
    eval_steps=2,
    save_steps=2,
    logging_steps=2,
    report_to=[],
    disable_tqdm=True,
    gradient_accumulation_steps=2,
    dataloader_num_workers=1,
)
trainer = WeightedTrainer(
    BertForSequenceClassification(config),
    arguments,
    train_dataset=Reviews(32),
    eval_dataset=Reviews(8),
    compute_metrics=accuracy,
    class_weights=torch.tensor([1.0, 2.0, 0.5]),  # born 1
)
trainer.train()
print(trainer.evaluate()["eval_accuracy"])
query = torch.randint(5, 100, (2, 12)).to(trainer.model.device)
# bug 2: query = torch.randint(5, 100, (2, 12))  # born 2
with torch.no_grad():
    print(trainer.model(input_ids=query).logits.argmax(-1).tolist())  # crash 2
