"""What the variables of a file mean: views, labels, orientation, missing rows."""
