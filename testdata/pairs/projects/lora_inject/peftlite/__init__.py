from .lora import LoraConfig, get_lora_model, print_trainable
