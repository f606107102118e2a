import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OutputFormat, TableMode, UseOcr, type ConversionResult } from '../../contract/http/conversion.ts'
import packageFile from '../../package.json' with { type: 'json' }
import { HttpError } from '../kit/http-error.ts'
import { createLogger } from '../kit/logger.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import { ModelWeights } from '../kit/models/model-weights.ts'
import { acceptMultipart, requiredFile, type MultipartForm } from '../kit/multipart-form.ts'
import { closeGracefully, listen, type Listening } from '../kit/server.ts'
import { createServiceBoundary, orFailed } from '../kit/service-boundary.ts'
import { parseRequest } from '../kit/validate.ts'
import type { ConversionDefaults, ConverterConfig } from './config.ts'
import { modelRoutes, PP_OCR_MODEL, TABLE_MODEL } from './model-routes.ts'
import { ConversionError, type ConversionFailure } from './model/conversion-error.ts'
import { createConverter } from './work/converter.ts'
import type { ConversionOutcome, ConversionRequest } from './work/protocol.ts'

export interface RunningConverter extends Listening {
  close(): Promise<void>
}

const STATUS: Record<ConversionFailure, number> = {
  unsupported: 415,
  damaged: 422,
  encrypted: 422,
  too_large: 413,
  empty: 422,
  too_many_chunks: 422,
}

/** Errors that the sender can fix keep their message; any other becomes a failure without internals. */
const translate = (error: Error): HttpError | null =>
  error instanceof ConversionError ? new HttpError(STATUS[error.code], error.message, { cause: error }) : null

/** One page, by which the converter proves that it converts. */
const PROOF: Omit<ConversionRequest, 'cacheDir' | 'tableModelDir'> = {
  filename: 'one-page.pdf',
  bytes: Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 37>>stream
BT /F 18 Tf 20 50 Td (One page) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`),
  format: 'markdown',
  page: 1,
  useOcr: 'never',
  tableMode: 'fast',
  formulas: false,
  codeBlocks: false,
  chunking: null,
  ppOcrDir: null,
}

/** Starts the converter. `restart` ends the process after a deadline. */
export async function startConverter(config: ConverterConfig, restart?: () => void): Promise<RunningConverter> {
  const logger = createLogger('converter', config.logLevel)
  if (config.deviceNote !== null) logger.warn(config.deviceNote)
  const modelStore = new ModelStore(config.modelStore)
  const tableModelDir = modelStore.folderOf(TABLE_MODEL)
  const ppOcrDir = config.ocrEngine === 'pp-ocr' ? modelStore.folderOf(PP_OCR_MODEL) : null
  const converter = createConverter({
    maxMemoryBytes: config.maxMemoryBytes,
    onNoise: (text) => logger.debug({ text }, 'a converting process printed'),
  })
  const boundary = createServiceBoundary({
    logger,
    settings: config.boundary,
    translate,
    selfCheck: (signal) => converter.convert({ ...PROOF, cacheDir: config.cacheDir, tableModelDir }, signal),
    ...(restart === undefined ? {} : { restart }),
  })
  const { app } = boundary

  app.get('/', async () => ({
    name: 'RAG Ladder document converter',
    version: packageFile.version,
    health: '/health',
    convert: '/v1/document/convert',
  }))
  const tableModel = new ModelWeights(modelStore, TABLE_MODEL, 'Until then tables are found by rules')
  const ppOcr = new ModelWeights(modelStore, PP_OCR_MODEL, 'Until then Tesseract recognizes text')
  modelRoutes(app, { table: tableModel, ppOcr })
  app.get('/health', boundary.open, async (_request, reply) => {
    const problem = boundary.problem()
    return reply.code(problem === null ? 200 : 503).send({
      status: problem === null ? 'healthy' : 'unhealthy',
      backend: config.device,
      device: config.device,
      ...((problem ?? config.deviceNote) === null ? {} : { detail: problem ?? config.deviceNote }),
      models_loaded: [],
      revision: revisionOf(config, [(await tableModel.folder()) !== null, (await ppOcr.folder()) !== null]),
    })
  })

  const convert = async (
    request: FastifyRequest,
    reply: FastifyReply,
    kind: 'document' | 'bundle' | 'page',
  ): Promise<ConversionOutcome & Pick<ConversionResult, 'format'>> => {
    const form = request.body as MultipartForm
    const chosen = readConversionFields(form.fields, config.defaults)
    const file = requiredFile(form, 'file', config.boundary.maxUploadBytes)
    const order: ConversionRequest = {
      filename: file.filename,
      bytes: file.bytes,
      format: kind === 'document' ? chosen.format : kind,
      page: Math.max(1, Number(form.fields['page'] ?? '1') || 1),
      useOcr: chosen.useOcr,
      tableMode: chosen.tableMode,
      formulas: config.formulas,
      codeBlocks: config.codeBlocks,
      chunking:
        chosen.chunking && kind === 'document' ? { size: chosen.chunkSize, overlap: chosen.chunkOverlap } : null,
      cacheDir: config.cacheDir,
      tableModelDir,
      ppOcrDir,
    }
    const outcome = await boundary.work(request, reply, (signal) =>
      orFailed('Document conversion failed', async () => {
        try {
          return await converter.convert(order, signal)
        } catch (error) {
          throw (error instanceof Error ? translate(error) : null) ?? error
        }
      }),
    )
    return { ...outcome, format: chosen.format }
  }
  await app.register(async (scope) => {
    acceptMultipart(scope)
    scope.post('/v1/document/convert', boundary.upload, async (request, reply): Promise<ConversionResult> => {
      const { content, format, metadata, chunks } = await convert(request, reply, 'document')
      return { content: content!, format, metadata: metadata!, chunks }
    })
    scope.post('/v1/document/page', boundary.upload, async (request, reply) => {
      const { bundle } = await convert(request, reply, 'page')
      return reply.type('image/png').send(Buffer.from(bundle!))
    })
    scope.post('/internal/graph/bundle', boundary.upload, async (request, reply) => {
      const { bundle } = await convert(request, reply, 'bundle')
      return reply.type('application/zip').send(Buffer.from(bundle!))
    })
  })
  const listening = await listen(app, config.host, config.port)
  return {
    ...listening,
    async close() {
      await Promise.all([tableModel.stop(), ppOcr.stop()])
      converter.close()
      await closeGracefully(app, 2000)
    },
  }
}

const Flag = z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] })
const Whole = (least: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,7}$/, 'Input should be a whole number')
    .transform(Number)
    .pipe(z.int().min(least))

/** Raised whenever readers give another text of the same file: texts that a platform keeps are then read again. */
const TEXT_VERSION = 3

/** Another one where the same file may be read otherwise: by another version, with other settings, or with a model that was fetched meanwhile. */
function revisionOf(
  { defaults, formulas, codeBlocks, ocrEngine }: ConverterConfig,
  fetchedModels: readonly boolean[],
): string {
  const facts = [packageFile.version, TEXT_VERSION, defaults, formulas, codeBlocks, ocrEngine, fetchedModels]
  return hash('sha256', JSON.stringify(facts)).slice(0, 16)
}

/** Fields of a conversion request; an empty one counts as absent, unknown ones are ignored. */
function readConversionFields(
  fields: Readonly<Record<string, string>>,
  defaults: ConversionDefaults,
): ConversionDefaults {
  const Fields = z
    .object({
      output_format: OutputFormat.default(defaults.format),
      use_ocr: UseOcr.default(defaults.useOcr),
      table_mode: TableMode.default(defaults.tableMode),
      enable_chunking: Flag.default(defaults.chunking),
      chunk_size: Whole(1).default(defaults.chunkSize),
      chunk_overlap: Whole(0).optional(),
    })
    // A smaller chunk_size takes a smaller default overlap along.
    .transform((form) => ({
      ...form,
      chunk_overlap: form.chunk_overlap ?? Math.min(defaults.chunkOverlap, Math.floor(form.chunk_size / 2)),
    }))
    .refine(({ chunk_size, chunk_overlap }) => chunk_overlap <= chunk_size / 2, {
      path: ['chunk_overlap'],
      message: 'chunk_overlap may be at most half of chunk_size',
    })
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  const form = parseRequest(Fields, given)
  return {
    format: form.output_format,
    useOcr: form.use_ocr,
    tableMode: form.table_mode,
    chunking: form.enable_chunking,
    chunkSize: form.chunk_size,
    chunkOverlap: form.chunk_overlap,
  }
}
