/** The set `local-embeddings` with the very weights that the catalogue downloads, which a package of Maven carries. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../main/manifests/models/model-catalogue.ts'
import { loadModels } from '../../main/manifests/experiment.ts'
import { LOCAL_EMBEDDINGS } from '../../contract/manifests/model-catalogue.ts'
import { selectModels } from '../../core/select-models.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import { loadBuiltinModels } from '../../providers/platform/models/load-builtin.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { skipWithout } from './skip-without.ts'
import { REAL_WEIGHTS, realWeights } from './weights.ts'

const weights = await realWeights('all-minilm-l6-v2')

it('the catalogue pins the network and the tokenizer that the package of Maven carries', async () => {
  const entry = (await loadCatalogue(PROJECT_ROOT)).find(({ id }) => id === LOCAL_EMBEDDINGS.model)!
  const pinned = (path: string) => entry.files.find((file) => file.path.endsWith(path))!.sha256
  const [network, tokenizer] = REAL_WEIGHTS['all-minilm-l6-v2'].files
  expect([pinned('onnx/model_quantized.onnx'), pinned('/tokenizer.json')]).toEqual([network.sha256, tokenizer.sha256])
})

describe('the weights', () => {
  skipWithout(weights)

  it('the set local-embeddings puts a paraphrase that shares no word nearer than another sentence', async () => {
    const { models } = await loadModels(PROJECT_ROOT)
    const chosen = selectModels(models, LOCAL_EMBEDDINGS.set, { RAG_LADDER_EMBEDDING_DIR: weights.folder ?? '' })
    if (!chosen.ok) throw new Error(chosen.problems.join())
    const host = createModelHost(chosen.models, {
      secret: () => undefined,
      onnxCacheDir: '/nonexistent',
      loadBuiltin: loadBuiltinModels,
    })
    try {
      const texts = [
        'The bridge was closed because of strong wind.',
        'High gusts made them shut the crossing.',
        'Boil the rice for twelve minutes and add salt.',
      ]
      const [asked, same, other] = await host.embed('embed', texts, 'document')
      const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0)
      expect(asked).toHaveLength(384)
      expect(cosine(asked!, same!)).toBeGreaterThan(cosine(asked!, other!))
    } finally {
      await host.close()
    }
  })
})
