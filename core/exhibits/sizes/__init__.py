"""The room of sizes."""
