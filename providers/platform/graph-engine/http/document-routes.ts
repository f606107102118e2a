import { basename } from 'node:path/posix'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  GraphDeleteRequest,
  GraphPageRequest,
  GraphTextRequest,
  GraphTextsRequest,
} from '../../../../contract/index.ts'
import type { GraphClearResponse, GraphInsertResponse } from '../../../../contract/index.ts'
import { uploadDeadline } from '../../../kit/deadlines.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { acceptMultipart, isForm } from '../../../kit/multipart-form.ts'
import type { FormFile } from '../../../kit/multipart-form.ts'
import { bodyTooLarge } from '../../../kit/server.ts'
import { InvalidRequestError, parseRequest } from '../../../kit/validate.ts'
import { UNNAMED } from '../documents/intake.ts'
import type { EngineOf } from './engine-of.ts'

/** What multipart framing may add to a file. */
const FRAMING_BYTES = 1024 * 1024

const TrackPath = z.object({ trackId: z.string().min(1).max(256) })

/** `/documents/…`: handing in, watching and taking out. */
export async function registerDocumentRoutes(
  app: FastifyInstance,
  engineOf: EngineOf,
  { uploadBytes, uploadTimeoutMs }: { uploadBytes: number; uploadTimeoutMs: number },
): Promise<void> {
  // A scope of its own: no other route reads forms, which a page of a foreign site could post.
  await app.register(async (scope) => {
    acceptMultipart(scope)
    const options = { bodyLimit: uploadBytes + FRAMING_BYTES, preParsing: uploadDeadline(uploadTimeoutMs) }
    scope.post('/documents/upload', options, async (request) => {
      const file = isForm(request.body) ? request.body.files.get('file') : undefined
      if (file === undefined) throw missingFile()
      if (file.bytes.length > uploadBytes) throw bodyTooLarge(uploadBytes)
      const { name, text } = readTextUpload(file)
      return engineOf(request).insert([{ text, filePath: name }], 'upload')
    })
  })

  app.post(
    '/documents/text',
    { bodyLimit: uploadBytes + FRAMING_BYTES },
    async (request): Promise<GraphInsertResponse> => {
      const { text, file_source: source, title, replace } = parseRequest(GraphTextRequest, request.body)
      const document = { text, filePath: source || UNNAMED, title: title ?? null, replace: replace === true }
      return engineOf(request).insert([document])
    },
  )

  app.post(
    '/documents/texts',
    { bodyLimit: uploadBytes + FRAMING_BYTES },
    async (request): Promise<GraphInsertResponse> => {
      const { texts, file_sources: sources } = parseRequest(GraphTextsRequest, request.body)
      const documents = texts.map((text, index) => ({ text, filePath: sources?.[index] || UNNAMED }))
      return engineOf(request).insert(documents)
    },
  )

  app.get('/documents/pipeline_status', async (request) => engineOf(request).pipelineStatus())

  app.get('/documents/track_status/:trackId', async (request) =>
    engineOf(request).track(parseRequest(TrackPath, request.params, 'path').trackId),
  )

  app.post('/documents/paginated', async (request) =>
    engineOf(request).documents(parseRequest(GraphPageRequest, request.body)),
  )

  app.get('/documents/status_counts', async (request) => ({ status_counts: engineOf(request).statusCounts() }))

  app.delete('/documents', async (request): Promise<GraphClearResponse> => {
    const engine = engineOf(request)
    if (engine.pipelineStatus().busy)
      return { status: 'busy', message: 'documents are being processed; cancel or wait' }
    return { status: 'success', message: `${await engine.clear()} documents removed` }
  })

  app.delete('/documents/delete_document', async (request) => {
    const { doc_ids: ids } = parseRequest(GraphDeleteRequest, request.body)
    const engine = engineOf(request)
    const known = ids.filter((id) => engine.document(id) !== null)
    if (known.length === 0) throw new HttpError(404, 'None of these documents is known')
    return {
      status: 'deletion_started',
      message: `${engine.remove(known)} documents removed`,
      doc_id: known.join(', '),
    }
  })

  app.post('/documents/reprocess_failed', async (request) => {
    const again = engineOf(request).reprocessFailed()
    return again === null
      ? { status: 'reprocessing_started', message: 'no document has failed', track_id: '' }
      : { status: 'reprocessing_started', message: `${again.count} documents queued again`, track_id: again.trackId }
  })

  app.post('/documents/cancel_pipeline', async (request) =>
    engineOf(request).cancel()
      ? { status: 'cancellation_requested', message: 'the pipeline stops' }
      : { status: 'not_busy', message: 'the pipeline is idle' },
  )
}

function missingFile(): InvalidRequestError {
  return new InvalidRequestError(
    [{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }],
    ['file: required'],
  )
}

interface TextUpload {
  name: string
  text: string
}

/** An uploaded file as text. Throws 400 for what is no UTF-8 text or has an unusable name. */
function readTextUpload({ filename, bytes }: FormFile): TextUpload {
  const name = safeName(filename)
  return { name, text: decode(bytes, name) }
}

function safeName(given: string): string {
  const name = basename(given.replaceAll('\\', '/'))
    .replace(/\p{Cc}/gu, '')
    .trim()
  if (name === '' || name === '.' || name === '..' || name.length > 255) throw new HttpError(400, 'Invalid filename')
  return name
}

function decode(bytes: Buffer, name: string): string {
  if (bytes.length === 0) throw new HttpError(400, `File ${name} is empty`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\u0000')) return text
  } catch (cause) {
    throw new HttpError(400, `File ${name} is not UTF-8 text`, { cause })
  }
  throw new HttpError(400, `File ${name} is not UTF-8 text`)
}
