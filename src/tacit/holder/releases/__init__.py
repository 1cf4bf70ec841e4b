"""One file a release kind; each goes out through the door, and none calls another."""
