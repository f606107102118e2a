import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './http-error.ts'

/** A `preParsing` hook: a body that has not fully arrived after `timeoutMs` ends in 408, whatever reads it. */
export function uploadDeadline(timeoutMs: number, message = 'Upload timed out') {
  return async (_request: FastifyRequest, _reply: FastifyReply, payload: Readable): Promise<Readable> => {
    const timed = new PassThrough()
    // The body of a refused request has no reader, and an error without a listener would end the process.
    timed.on('error', () => undefined)
    const timer = setTimeout(() => {
      payload.unpipe(timed)
      timed.destroy(new HttpError(408, message))
    }, timeoutMs)
    // The body's own stream must survive: destroying it would take the connection and the 408 with it.
    payload.pipe(timed)
    payload.once('error', (error) => timed.destroy(error))
    payload.once('end', () => {
      clearTimeout(timer)
    })
    timed.once('close', () => {
      clearTimeout(timer)
    })
    return timed
  }
}

export interface WorkDeadlineOptions {
  message?: string
  /** Called once when the deadline has passed, for services that must restart because the work cannot be stopped. */
  onTimeout?: () => void
  /** Aborts the work before the deadline, for example because its caller has left. */
  cancelled?: AbortSignal
}

/**
 * The work's result, or a 504 `HttpError` after `timeoutMs`; its signal is aborted then, and when `cancelled` is. Work that ignores the
 * signal runs on: cancelled, it is waited for until the deadline; past the deadline its late result is dropped.
 */
export async function withWorkDeadline<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
  options: WorkDeadlineOptions = {},
): Promise<Result> {
  const stop = new AbortController()
  const timedOut = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new HttpError(504, options.message ?? 'Provider operation timed out')
    timedOut.reject(error)
    stop.abort(error)
    options.onTimeout?.()
  }, timeoutMs)
  try {
    const { cancelled } = options
    const signal = cancelled === undefined ? stop.signal : AbortSignal.any([stop.signal, cancelled])
    return await Promise.race([work(signal), timedOut.promise])
  } finally {
    clearTimeout(timer)
  }
}
