/** Exit code of a provider that answered 504 and wants a fresh process: a normal restart. */
export const DEADLINE_EXIT_CODE = 70

/** Exit code of a process that cannot start as it is set up: starting it again would not help. */
export const CONFIG_EXIT_CODE = 78
