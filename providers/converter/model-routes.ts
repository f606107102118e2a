import type { FastifyInstance } from 'fastify'
import type { ServiceModel } from '../../contract/index.ts'
import { HttpError } from '../kit/http-error.ts'
import { hubFiles, hubPage } from '../kit/models/declared-model.ts'
import type { DeclaredModel } from '../kit/models/declared-model.ts'
import { BUILT_IN } from '../kit/models/model-weights.ts'
import type { ModelWeights } from '../kit/models/model-weights.ts'

const REPOSITORY = 'Xenova/table-transformer-structure-recognition-v1.1-all'

/**
 * Microsoft's Table Transformer, trained on PubTables-1M and FinTabNet.c, as an ONNX export: rows, columns, headers and spanning cells of a table's
 * picture. Microsoft publishes code and weights under the MIT licence.
 */
export const TABLE_MODEL: DeclaredModel = {
  id: REPOSITORY,
  license: 'MIT',
  sourcePage: hubPage(REPOSITORY),
  files: hubFiles(REPOSITORY, 'main', [
    { path: 'config.json' },
    { path: 'preprocessor_config.json' },
    { path: 'onnx/model.onnx' },
  ]),
}

/** Models that are part of the installation. */
const OWN: readonly ServiceModel[] = [
  { id: 'tesseract-eng', task: 'text recognition', license: 'Apache-2.0', ...BUILT_IN },
  { id: 'pdfium-layout', task: 'layout and tables by rules', license: 'BSD-3-Clause', ...BUILT_IN },
]

/**
 * `GET /v1/models`: the models that conversions use, each a `ServiceModel`. `POST /v1/models/<id>` fetches the table model and answers when it is
 * there; the download goes on when the caller leaves. `DELETE` stops a download and takes the model off the disk. 404 for any other; when it
 * cannot be downloaded, 502, 503 or 507 with the reason.
 */
export function modelRoutes(app: FastifyInstance, weights: ModelWeights): void {
  const tableModel = async (): Promise<ServiceModel> => ({
    id: TABLE_MODEL.id,
    task: 'table structure (table_mode accurate)',
    license: TABLE_MODEL.license,
    ...(await weights.facts()),
  })
  const assertKnown = (id: string): void => {
    if (id !== TABLE_MODEL.id)
      throw new HttpError(404, `'${id}' is not a downloadable model; expected ${TABLE_MODEL.id}`)
  }
  app.get('/v1/models', async () => ({ models: [...OWN, await tableModel()] }))
  app.post<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    assertKnown(request.params['*'])
    await weights.download()
    return tableModel()
  })
  app.delete<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    assertKnown(request.params['*'])
    if (!(await weights.remove())) throw new HttpError(404, `${TABLE_MODEL.id} is not installed`)
    return tableModel()
  })
}
