"""LoRA on a small Llama in bfloat16, with gradient checkpointing, saved and merged."""

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

device = "cuda"
config = LlamaConfig(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=64,
)
torch.manual_seed(0)
base = LlamaForCausalLM(config).to(device, torch.bfloat16)
weights = {name: value.clone() for name, value in base.state_dict().items()}
lora = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
model = get_peft_model(base, lora)
model.enable_input_require_grads()
model.gradient_checkpointing_enable()
trained = [each for each in model.parameters() if each.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=1e-3)
model.train()
for _ in range(3):
    tokens = torch.randint(0, 64, (2, 16), device=device)
    mask = torch.ones(2, 16, dtype=torch.long, device=device)
    prompt = torch.arange(16, device=device) < 4
    # bug 1: prompt = torch.arange(16) < 4  # born 1
    labels = torch.where(prompt, -100, tokens)  # crash 1
    loss = model(input_ids=tokens, attention_mask=mask, labels=labels).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()
    optimizer.zero_grad()
model.save_pretrained("adapter")

fresh = LlamaForCausalLM(config).to(device, torch.bfloat16)
# bug 2: fresh = LlamaForCausalLM(config).to(torch.bfloat16)  # born 2
fresh.load_state_dict(weights)
merged = PeftModel.from_pretrained(fresh, "adapter").merge_and_unload()
with torch.no_grad():
    logits = merged(input_ids=tokens).logits
    # bug 2: logits = merged(input_ids=tokens.cpu()).logits  # born 2
    expected = model.eval()(input_ids=tokens).logits
    print((logits - expected).abs().max().item())  # crash 2
