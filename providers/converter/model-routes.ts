import type { FastifyInstance } from 'fastify'
import type { ServiceModel } from '../../contract/http/service-model.ts'
import { HttpError } from '../kit/http-error.ts'
import { hubFiles, hubPage, type DeclaredModel } from '../kit/models/declared-model.ts'
import { BUILT_IN, type ModelWeights } from '../kit/models/model-weights.ts'
import { PP_OCR_FILES } from './ocr/pp-ocr/files.ts'

const REPOSITORY = 'Xenova/table-transformer-structure-recognition-v1.1-all'

/**
 * Microsoft's Table Transformer, trained on PubTables-1M and FinTabNet.c, as an ONNX export: rows, columns, headers and spanning cells of a table's
 * picture. Microsoft publishes code and weights under the MIT licence.
 */
export const TABLE_MODEL: DeclaredModel = {
  id: REPOSITORY,
  license: 'MIT',
  experimental: true,
  sourcePage: hubPage(REPOSITORY),
  files: hubFiles(REPOSITORY, 'main', [
    { path: 'config.json' },
    { path: 'preprocessor_config.json' },
    { path: 'onnx/model.onnx' },
  ]),
}

const OCR_FILES = 'https://www.modelscope.cn/models/RapidAI/RapidOCR/resolve/v3.9.2'

/**
 * PP-OCRv5 mobile of PaddlePaddle as ONNX exports of RapidOCR: it finds and reads lines of Chinese, English and Japanese. PaddlePaddle publishes the
 * weights under the licence Apache-2.0. A tag can move, so that every file has its checksum, which several projects publish alike.
 */
export const PP_OCR_MODEL: DeclaredModel = {
  id: 'PaddlePaddle/PP-OCRv5_mobile',
  license: 'Apache-2.0',
  sourcePage: 'https://www.modelscope.cn/models/RapidAI/RapidOCR',
  files: [
    {
      path: PP_OCR_FILES.detection,
      url: `${OCR_FILES}/onnx/PP-OCRv5/det/ch_PP-OCRv5_det_mobile.onnx`,
      sizeBytes: 4_819_576,
      sha256: '4d97c44a20d30a81aad087d6a396b08f786c4635742afc391f6621f5c6ae78ae',
    },
    {
      path: PP_OCR_FILES.recognition,
      url: `${OCR_FILES}/onnx/PP-OCRv5/rec/ch_PP-OCRv5_rec_mobile.onnx`,
      sizeBytes: 16_631_306,
      sha256: '5825fc7ebf84ae7a412be049820b4d86d77620f204a041697b0494669b1742c5',
    },
    {
      path: PP_OCR_FILES.characters,
      url: `${OCR_FILES}/paddle/PP-OCRv5/rec/ch_PP-OCRv5_rec_mobile/ppocrv5_dict.txt`,
      sizeBytes: 74_012,
      sha256: 'd1979e9f794c464c0d2e0b70a7fe14dd978e9dc644c0e71f14158cdf8342af1b',
    },
  ],
}

/** Models that are part of the installation. */
const OWN: readonly ServiceModel[] = [
  { id: 'tesseract-eng', task: 'text recognition', license: 'Apache-2.0', ...BUILT_IN },
  { id: 'pdfium-layout', task: 'layout and tables by rules', license: 'BSD-3-Clause', ...BUILT_IN },
]

/**
 * `GET /v1/models`: the models that conversions use, each a `ServiceModel`. `POST /v1/models/<id>` fetches one that is not part of the installation
 * and answers when it is there; the download goes on when the caller leaves. `DELETE` stops a download and takes the model off the disk. 404 for any
 * other; when it cannot be downloaded, 502, 503 or 507 with the reason.
 */
export function modelRoutes(
  app: FastifyInstance,
  { table, ppOcr }: { table: ModelWeights; ppOcr: ModelWeights },
): void {
  const fetched = [
    { model: TABLE_MODEL, task: 'table structure (table_mode accurate)', weights: table },
    { model: PP_OCR_MODEL, task: 'text recognition (DOCCONV_OCR_ENGINE=pp-ocr)', weights: ppOcr },
  ]
  type Fetched = (typeof fetched)[number]
  const factsOf = async ({ model: { id, license }, task, weights }: Fetched): Promise<ServiceModel> => ({
    id,
    task,
    license,
    ...(await weights.facts()),
  })
  const known = (id: string): Fetched => {
    const found = fetched.find(({ model }) => model.id === id)
    if (found !== undefined) return found
    const ids = fetched.map(({ model }) => model.id).join(' or ')
    throw new HttpError(404, `'${id}' is not a downloadable model; expected ${ids}`)
  }
  app.get('/v1/models', async () => ({ models: [...OWN, ...(await Promise.all(fetched.map(factsOf)))] }))
  app.post<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    const each = known(request.params['*'])
    await each.weights.download()
    return factsOf(each)
  })
  app.delete<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    const each = known(request.params['*'])
    if (!(await each.weights.remove())) throw new HttpError(404, `${each.model.id} is not installed`)
    return factsOf(each)
  })
}
