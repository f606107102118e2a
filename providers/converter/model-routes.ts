import type { FastifyInstance } from 'fastify'
import type { ServiceModel } from '../../contract/index.ts'
import { HttpError } from '../kit/http-error.ts'
import { BUILT_IN } from '../kit/models/model-weights.ts'
import type { ModelWeights } from '../kit/models/model-weights.ts'
import { TABLE_MODEL } from './tables/declared-table-model.ts'

/** What is part of the installation. */
const OWN: readonly ServiceModel[] = [
  { id: 'tesseract-eng', task: 'text recognition', license: 'Apache-2.0', ...BUILT_IN },
  { id: 'pdfium-layout', task: 'layout and tables by rules', license: 'BSD-3-Clause', ...BUILT_IN },
]

/**
 * `GET /v1/models`: what conversions are made with, each a `ServiceModel`. `POST /v1/models/<id>` fetches the table model and answers when it is
 * there; the download goes on when the caller leaves. `DELETE` stops a download and takes the model off the disk. 404 for any other; when it
 * cannot be had, 502, 503 or 507 with the reason.
 */
export function modelRoutes(app: FastifyInstance, weights: ModelWeights): void {
  const tableModel = async (): Promise<ServiceModel> => ({
    id: TABLE_MODEL.id,
    task: 'table structure (table_mode accurate)',
    license: TABLE_MODEL.license,
    ...(await weights.facts()),
  })
  const assertKnown = (id: string): void => {
    if (id !== TABLE_MODEL.id) throw new HttpError(404, `'${id}' is no model that can be fetched; ${TABLE_MODEL.id} is`)
  }
  app.get('/v1/models', async () => ({ models: [...OWN, await tableModel()] }))
  app.post<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    assertKnown(request.params['*'])
    await weights.download()
    return tableModel()
  })
  app.delete<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    assertKnown(request.params['*'])
    if (!(await weights.remove())) throw new HttpError(404, `${TABLE_MODEL.id} is not here`)
    return tableModel()
  })
}
