import type { FastifyReply, FastifyRequest } from 'fastify'

/** A signal that is aborted when the caller's connection closes before the response is complete. */
export function callerSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the caller closed the connection'))
  }
  // A caller may have left while the body was parsed: its `close` is over then. The request itself is destroyed once its body was read.
  if (request.raw.socket.destroyed) leave()
  else reply.raw.once('close', leave)
  return gone.signal
}
