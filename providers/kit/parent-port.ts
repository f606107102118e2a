/** One end of a port of Electron's; its messages may hold typed arrays. */
export interface HostedPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
  start(): void
}

/** The channel of a child of Electron's `utilityProcess`. */
export interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown; ports: HostedPort[] }) => void): void
}

/** Null in plain Node. */
export const parentPort = (): ParentPort | null => (process as { parentPort?: ParentPort }).parentPort ?? null
