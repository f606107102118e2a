import { createServer, type AddressInfo } from 'node:net'

/** The port on 127.0.0.1 when it is free, else 0: any free one. */
export function portOrAny(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen(port, '127.0.0.1', () => {
      const { port: found } = probe.address() as AddressInfo
      probe.close(() => resolve(found))
    })
  })
}
