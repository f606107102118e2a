import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** An address that stays while its target changes. */
export interface MovableDoor {
  url: string
  /** What new connections lead to; null refuses them. Open ones end. */
  leadTo(target: string | null): void
  close(): Promise<void>
}

/** A relay on 127.0.0.1: the app is started once, its server again for each spec. */
export async function openMovableDoor(): Promise<MovableDoor> {
  const sockets = new Set<Socket>()
  let target: URL | null = null
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (target === null) {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(next) {
      target = next === null ? null : new URL(next)
      cut()
    },
    close() {
      cut()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
