/** A child that was started; its parent has ended when its message channel closes. */
export interface LaunchedProcess {
  /** Null until the child has begun, where another process starts it. */
  readonly pid: number | null
  onMessage(listener: (message: unknown) => void): void
  onLine(listener: (line: string) => void): void
  onExit(listener: (code: number | null, signal: string | null) => void): void
  /** Closes the message channel: the child's sign to end, the same as when its parent dies. */
  requestStop(): void
  /** Signals the child and everything it started. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void
}

export interface LaunchSpec {
  /** Module to run. */
  entry: string
  /** Secrets travel here, never in the argument list. */
  env: Record<string, string>
  /** Leaves the credentials of the launcher's own environment out; those in `env` stay. For services that have no use for them. */
  withoutCredentials?: boolean
  /** Further variables for a restart of the service that had this address, such as the port to take again. */
  restartEnv?: (url: string) => Record<string, string>
}

/** Starts children: by `child_process.fork` in plain Node, by `utilityProcess.fork` in the packaged app. Throws when it cannot. */
export interface ProcessLauncher {
  launch(spec: LaunchSpec): LaunchedProcess
}
