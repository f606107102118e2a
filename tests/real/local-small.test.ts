import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ModelsManifest } from '../../contract/manifests/models.ts'
import { selectModels } from '../../core/select-models.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import type { ModelHost } from '../../providers/platform/models/model-host.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const languageModel = await realWeights('smollm2-135m')
const embedding = await realWeights('minilm-int8')
skipWithout(languageModel)
skipWithout(embedding)

let models: ModelHost | undefined
beforeAll(() => {
  // A preparation runs where all tests are skipped, too.
  if (languageModel.folder === null || embedding.folder === null) return
  const manifest: unknown = parse(readFileSync(join(import.meta.dirname, '../../manifests/models.yaml'), 'utf8'), {
    merge: true,
  })
  const chosen = selectModels(ModelsManifest.parse(manifest), 'local-small', {
    RAG_LADDER_GGUF_FILE: join(languageModel.folder, 'SmolLM2-135M-Instruct.Q4_1.gguf'),
    RAG_LADDER_EMBEDDING_DIR: embedding.folder,
  })
  if (!chosen.ok) throw new Error(chosen.problems.join('; '))
  models = createModelHost(chosen.models, {
    secret: () => undefined,
    onnxCacheDir: '/nonexistent',
    loadBuiltin: () => Promise.reject(new Error('no rules are needed')),
  })
})
afterAll(() => models?.close())

it('the set local-small embeds by ONNX Runtime and answers by llama.cpp, in one host', async () => {
  const [vector] = await models!.embed('embed', ['Where is the station?'], 'query')
  expect(vector).toHaveLength(384)
  expect(models!.embeddingSpace()).toMatch(/^minilm-int8-\w+ \(dtype "q8"\)$/)
  const pieces: string[] = []
  const messages = [{ role: 'user' as const, content: 'Name one colour.' }]
  const answer = await models!.chat('light_gen', { messages, max_tokens: 16 }, undefined, (piece) => pieces.push(piece))
  expect(answer.choices[0]!.message.content).toBe(pieces.join(''))
  expect(pieces.length).toBeGreaterThan(1)
})
