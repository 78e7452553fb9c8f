"""What an operator watches."""
