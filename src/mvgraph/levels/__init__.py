"""At which levels the samples fall into groups, and how sure that is."""
