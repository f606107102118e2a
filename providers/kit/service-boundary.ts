import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DEADLINE_EXIT_CODE } from '../../core/process-exit.ts'
import { callerSignal } from './caller-signal.ts'
import { uploadDeadline, withWorkDeadline } from './deadlines.ts'
import { allowOrigin } from './host-guard.ts'
import { HttpError } from './http-error.ts'
import { FRAMING_BYTES } from './multipart-form.ts'
import { createPermits, permitHook, permitOf } from './permits.ts'
import { bearerMatches } from './secrets.ts'
import { createSelfCheck } from './self-check.ts'
import { createHttpServer } from './server.ts'
import type { ServiceBoundarySettings } from './service-boundary-settings.ts'
import { InvalidRequestError } from './validate.ts'

/** A caller may take this long to fetch the 504 before the process ends. */
const LAST_WORDS_MS = 2000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without a token. */
    open?: boolean
    /** Needs one of the service's places from before its body is read until its work has ended. */
    permit?: boolean
  }
}

export interface ServiceBoundaryOptions {
  logger: FastifyBaseLogger
  settings: ServiceBoundarySettings
  translate?: (error: Error) => HttpError | null
  /** Ends the process after a deadline; replaced in tests. */
  restart?: () => void
  /** A small piece of the service's work, which proves that it works. */
  selfCheck: (signal: AbortSignal) => Promise<unknown>
}

/** The boundary that converter, transcription and synthesis share: token, then place, then size and deadline of the body, then work. */
export interface ServiceBoundary {
  app: FastifyInstance
  /** Options of a route that is answered without a token. */
  open: { config: { open: true } }
  /** Why the service does not work; null while nothing shows that. For its health. */
  problem: () => string | null
  /** Options of a route that takes an upload and works on it. */
  upload: {
    config: { permit: true }
    bodyLimit: number
    preParsing: ReturnType<typeof uploadDeadline>
  }
  /**
   * Runs the work of an `upload` route. Its signal is aborted when the caller leaves, and its place is free as soon as the work has stopped. Past
   * the inference deadline the caller gets 504, the signal is aborted too, and the process ends with 70 once the answer is out: such work cannot
   * be trusted to stop.
   */
  work<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
}

/** A server with that boundary; routes are added to `app` or to scopes registered in it. */
export function createServiceBoundary(options: ServiceBoundaryOptions): ServiceBoundary {
  const { settings, logger } = options
  const restart = options.restart ?? (() => process.exit(DEADLINE_EXIT_CODE))
  if (settings.authMode === 'required' && settings.token === null) {
    const { prefix } = settings
    logger.warn(
      `${prefix}_API_TOKEN is not set: all but health is answered with 503. Set it, or ${prefix}_AUTH_MODE=disabled`,
    )
  }
  const check = createSelfCheck({ work: options.selfCheck })
  const takePermit = permitHook(createPermits(settings.concurrency), 'Provider capacity is full')
  const app = createHttpServer({
    logger,
    // A body has its own deadline; this one is for headers that never end.
    requestTimeoutMs: settings.uploadTimeoutMs + 5000,
    trusted: { hosts: settings.trustedHosts, origins: settings.corsOrigins },
    tooLarge: () => new HttpError(413, 'Upload is too large'),
    gate: async (request, reply) => {
      allowOrigin(settings.corsOrigins, request, reply)
      if (reply.sent) return
      if (request.routeOptions.config.open !== true) authenticate(settings, request)
      if (request.routeOptions.config.permit === true) await takePermit(request, reply)
    },
    ...(options.translate === undefined ? {} : { translate: options.translate }),
  })
  return {
    app,
    open: { config: { open: true } },
    problem: () => check.problem(),
    upload: {
      config: { permit: true },
      bodyLimit: settings.maxUploadBytes + FRAMING_BYTES,
      preParsing: uploadDeadline(settings.uploadTimeoutMs),
    },
    work: (request, reply, work) =>
      permitOf(request).during(() =>
        check.during(
          () =>
            withWorkDeadline(settings.inferenceTimeoutMs, work, {
              onTimeout: () => afterReply(reply, restart),
              cancelled: callerSignal(request, reply),
            }),
          isOwnFault,
        ),
      ),
  }
}

const isOwnFault = (error: unknown): boolean =>
  !(error instanceof InvalidRequestError) && !(error instanceof HttpError && error.status < 500)

/** The service's own failure as the caller may know it; expected refusals stay what they are. */
export async function orFailed<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HttpError || error instanceof InvalidRequestError) throw error
    throw new HttpError(500, message, { cause: error })
  }
}

function authenticate(settings: ServiceBoundarySettings, request: FastifyRequest): void {
  if (settings.authMode === 'disabled') return
  if (settings.token === null) throw new HttpError(503, 'Provider authentication is unavailable')
  if (bearerMatches(request.headers.authorization, settings.token)) return
  throw new HttpError(401, 'Authentication required', { headers: { 'www-authenticate': 'Bearer' } })
}

function afterReply(reply: FastifyReply, action: () => void): void {
  let done = false
  const once = () => {
    if (done) return
    done = true
    action()
  }
  if (reply.raw.destroyed || reply.raw.writableFinished) once()
  else {
    reply.raw.once('finish', once).once('close', once)
    setTimeout(once, LAST_WORDS_MS).unref()
  }
}
