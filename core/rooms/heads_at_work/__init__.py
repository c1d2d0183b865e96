"""The exhibits of the room in which heads are trained and watched at work."""
