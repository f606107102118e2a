import type { FastifyInstance } from 'fastify'
import { listen } from './server.ts'
import type { Listening } from './server.ts'

/** A port to listen on: a person's choice is kept to, a service's default gives way to any free port when it is taken. */
export interface DeclaredPort {
  port: number
  isDefault: boolean
}

/** Starts listening there. */
export async function listenDeclared(app: FastifyInstance, host: string, declared: DeclaredPort): Promise<Listening> {
  try {
    return await listen(app, host, declared.port)
  } catch (error) {
    if (!declared.isDefault || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listen(app, host, 0)
  }
}
