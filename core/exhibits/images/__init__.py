"""What the rooms for images share: which picture is looked at."""
