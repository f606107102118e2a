import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LocalServer {
  url: string
  /** Ends its connections too; may be called again. */
  close: () => Promise<void>
}

/** Lets the server listen on a free port of this machine. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
