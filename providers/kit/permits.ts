import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './http-error.ts'

/** A place among the `count` that may work at once. */
export interface Permit {
  /** Gives the place back once no work holds it any more; calling it twice is the same as once. */
  release(): void
  /** Keeps the place until the work has settled, also when the caller has gone meanwhile. */
  during<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface Permits {
  readonly free: number
  /** A place, or null when all are taken: there is no queue. */
  tryTake(): Permit | null
}

/** A fixed number of places. */
export function createPermits(count: number): Permits {
  let free = count
  return {
    get free() {
      return free
    },
    tryTake() {
      if (free === 0) return null
      free -= 1
      return createPermit(() => (free += 1))
    },
  }
}

function createPermit(giveBack: () => void): Permit {
  let holders = 1
  let released = false
  const drop = () => {
    holders -= 1
    if (holders === 0) giveBack()
  }
  return {
    release() {
      if (released) return
      released = true
      drop()
    },
    async during(work) {
      if (holders === 0) throw new Error('the permit was given back before its work began')
      holders += 1
      try {
        return await work()
      } finally {
        drop()
      }
    },
  }
}

const taken = new WeakMap<FastifyRequest, Permit>()

/**
 * An `onRequest` hook that takes a place before the body is read, or answers 429 with Retry-After. The place is free again when the
 * response has ended and the work started with `permitOf(request).during` has settled.
 */
export function permitHook(permits: Permits, message: string, retryAfterSeconds = 1) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const permit = permits.tryTake()
    if (permit === null) throw new HttpError(429, message, { headers: { 'retry-after': String(retryAfterSeconds) } })
    taken.set(request, permit)
    reply.raw.once('close', () => {
      permit.release()
    })
  }
}

/** The place that `permitHook` took for this request. */
export function permitOf(request: FastifyRequest): Permit {
  const permit = taken.get(request)
  if (permit === undefined) throw new Error('the route has no permit hook')
  return permit
}
