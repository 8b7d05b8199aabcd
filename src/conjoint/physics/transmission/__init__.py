"""From actuators to joints, tendons and sites: lengths and moment arms."""
