import { hubFiles, hubPage } from '../../kit/models/declared-model.ts'
import type { DeclaredModel } from '../../kit/models/declared-model.ts'

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
