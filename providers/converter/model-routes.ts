import type { FastifyInstance } from 'fastify'
import { callerSignal } from '../kit/caller-signal.ts'
import { HttpError } from '../kit/http-error.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import { ModelStoreError } from '../kit/models/model-store-error.ts'
import type { ConverterConfig } from './config.ts'
import { TABLE_MODEL } from './tables/declared-table-model.ts'

/**
 * `GET /v1/models`: what conversions are made with; the table model tells whether it is there, its licence and where it comes from.
 * `POST /v1/models/<id>` fetches it and answers when it is there; 404 for any other, 503 with the reason when it cannot be had.
 */
export function modelRoutes(app: FastifyInstance, config: Pick<ConverterConfig, 'modelStore'>): void {
  const store = new ModelStore(config.modelStore)
  const tableModel = async () => ({
    id: TABLE_MODEL.id,
    task: 'table structure (table_mode accurate)',
    installed: await store.isPresent(TABLE_MODEL),
    license: TABLE_MODEL.license,
    source: TABLE_MODEL.sourcePage,
    folder: store.folderOf(TABLE_MODEL),
  })
  app.get('/v1/models', async () => ({
    models: [
      { id: 'tesseract-eng', task: 'text recognition', installed: true },
      { id: 'pdfium-layout', task: 'layout and tables by rules', installed: true },
      await tableModel(),
    ],
  }))
  app.post<{ Params: { '*': string } }>('/v1/models/*', async (request, reply) => {
    const id = request.params['*']
    if (id !== TABLE_MODEL.id) throw new HttpError(404, `'${id}' is no model that can be fetched; ${TABLE_MODEL.id} is`)
    try {
      await store.ensure(TABLE_MODEL, {
        signal: callerSignal(request, reply),
        meanwhile: 'Until then tables are found by rules',
      })
    } catch (error) {
      if (error instanceof ModelStoreError) throw new HttpError(503, error.message, { cause: error })
      throw error
    }
    return tableModel()
  })
}
