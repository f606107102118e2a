import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { NewSpeaker } from '../../../contract/index.ts'
import { decodeUpload } from '../../kit/audio/decode-upload.ts'
import { HttpError } from '../../kit/http-error.ts'
import { isForm, requiredFile } from '../../kit/multipart-form.ts'
import { orFailed } from '../../kit/service-boundary.ts'
import type { ServiceBoundary } from '../../kit/service-boundary.ts'
import { parseRequest } from '../../kit/validate.ts'
import { RECOGNISER_RATE } from '../backends/recogniser.ts'
import type { Enrolment } from './enrolment.ts'

const MAX_SENTENCE_SECONDS = 60
const SpeakerPath = z.object({ id: z.string().min(1).max(100) })
const Sentence = z.object({ text: z.string().trim().min(1).max(300) })

/** `/v1/speakers`: who the recogniser is fitted to. */
export function registerSpeakerRoutes(
  scope: FastifyInstance,
  boundary: ServiceBoundary,
  enrolment: Enrolment,
  maxUploadBytes: number,
): void {
  const idOf = (params: unknown) => parseRequest(SpeakerPath, params, 'path').id

  scope.get('/v1/speakers', () => enrolment.list())

  scope.post('/v1/speakers', async (request, reply) =>
    reply.code(201).send(await enrolment.add(parseRequest(NewSpeaker, request.body))),
  )

  scope.delete('/v1/speakers/:id', async (request) => {
    const name = await enrolment.remove(idOf(request.params))
    return { message: `Speaker '${name}' deleted` }
  })

  scope.post('/v1/speakers/:id/sentences', boundary.upload, async (request, reply) => {
    const form = request.body
    if (!isForm(form)) throw new HttpError(415, 'Send the recording as multipart/form-data')
    const { text } = parseRequest(Sentence, form.fields)
    const { bytes } = requiredFile(form, 'file', maxUploadBytes)
    const answer = await orFailed('The sentence could not be kept', () =>
      boundary.work(request, reply, async (signal) => {
        const task = { bytes, maxSeconds: MAX_SENTENCE_SECONDS, sampleRate: RECOGNISER_RATE }
        const { sound } = await decodeUpload(task, signal)
        return enrolment.read(idOf(request.params), text, sound, signal)
      }),
    )
    return reply.code(201).send(answer)
  })

  scope.post('/v1/speakers/:id/fit', boundary.upload, (request, reply) =>
    orFailed('The recogniser could not be fitted', () =>
      boundary.work(request, reply, (signal) => enrolment.fit(idOf(request.params), signal)),
    ),
  )
}
