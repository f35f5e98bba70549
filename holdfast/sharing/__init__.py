"""Many query servers of one app: each holds some shares of the partitions, and asks the others for the rest."""
