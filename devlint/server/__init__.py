"""The language server: findings while one types, in any editor that speaks the protocol."""
