import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { modelNameOf } from '../../../contract/manifests/model-backends.ts'
import { LOCAL_EMBEDDINGS, ModelJob } from '../../../contract/manifests/model-catalogue.ts'
import { PP_OCR_MODEL, TABLE_MODEL } from '../../../providers/converter/model-routes.ts'
import { ONNX_MODELS } from '../../../providers/stt/backends/recognition-models.ts'
import { KOKORO_WEIGHTS } from '../../../providers/tts/engines/kokoro/kokoro-engine.ts'
import { selectModels } from '../../../core/select-models.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadModels } from '../experiment.ts'
import { catalogueEntries, fetchableModel, loadCatalogue } from './model-catalogue.ts'

it('the shipped catalogue has a model for every job, with pinned files and the licence that the services declare', async () => {
  const models = await loadCatalogue(PROJECT_ROOT)
  expect(new Set(models.map(({ job }) => job))).toEqual(new Set(ModelJob.options))
  for (const { url, sha256 } of models.flatMap(({ files }) => files)) {
    expect(url).toMatch(/\/resolve\/[0-9a-f]{40}\//)
    expect(sha256).not.toBeNull()
  }
  const licenceOf = (id: string) => models.find((each) => each.id === id)?.license
  expect(licenceOf('parakeet-tdt-0.6b-v3')).toBe(ONNX_MODELS['parakeet-tdt-0.6b-v3'].declared.license)
  // These are models that docs/real-models.md does not name as verified.
  expect(models.filter(({ experimental }) => experimental).map(({ id }) => id)).toEqual([
    'nomic-embed-text-v1.5',
    'ms-marco-minilm-l6-v2',
    'parakeet-tdt-0.6b-v3',
    'table-transformer',
  ])
  expect(licenceOf('kokoro-82m')).toBe(KOKORO_WEIGHTS.license)
  // A service's own list has the same mark.
  const markOf = (id: string) => models.find((each) => each.id === id)!.experimental
  for (const [id, { experimental = false }] of [
    ['parakeet-tdt-0.6b-v3', ONNX_MODELS['parakeet-tdt-0.6b-v3'].declared],
    ['kokoro-82m', KOKORO_WEIGHTS],
    ['table-transformer', TABLE_MODEL],
    ['pp-ocrv5-mobile', PP_OCR_MODEL],
  ] as const)
    expect([id, markOf(id)]).toEqual([id, experimental])
})

it('a model fits a machine with the memory that it needs, and not one with less', async () => {
  const fitting = async (gib: number) =>
    (await catalogueEntries(PROJECT_ROOT, gib * 1024 ** 3)).filter(({ fits }) => fits === true).map(({ id }) => id)
  expect(await fitting(1)).toEqual([])
  expect(await fitting(4)).toEqual(['qwen2.5-1.5b', 'smollm2-1.7b', 'qwen3-4b'])
  expect(await fitting(8)).toContain('qwen3-8b')
})

it('the set local-embeddings uses the folder that the catalogue fetches its network, tokenizer and settings into', async () => {
  const entries = await catalogueEntries(PROJECT_ROOT, 1024 ** 3, {})
  const { path, files } = entries.find(({ id }) => id === LOCAL_EMBEDDINGS.model)!
  expect(path).toBe(join(PROJECT_ROOT, '.rag-ladder/models/all-minilm-l6-v2'))
  expect(files.map((file) => file.path.replace('all-minilm-l6-v2/', ''))).toEqual([
    'onnx/model_quantized.onnx',
    'tokenizer.json',
    'tokenizer_config.json',
    'config.json',
  ])
  const { models } = await loadModels(PROJECT_ROOT)
  const { embed, evaluator_embed: critic, ...others } = models.sets[LOCAL_EMBEDDINGS.set]!.roles
  expect(critic).toEqual(embed)
  const chosen = selectModels(models, LOCAL_EMBEDDINGS.set, {})
  if (!chosen.ok) throw new Error(chosen.problems.join())
  expect(resolve(PROJECT_ROOT, chosen.models.roles.embed.model)).toBe(path)
  expect(modelNameOf(chosen.models.roles.embed)).toBe(LOCAL_EMBEDDINGS.model)
  const { embed: _, evaluator_embed: __, ...builtin } = models.sets['builtin']!.roles
  expect(others).toEqual(builtin)
})

it('fetching a model without files names what fetches it', async () => {
  await expect(fetchableModel(PROJECT_ROOT, 'nomic-embed-text-v1.5')).rejects.toThrow('no checksum in the catalogue')
  await expect(fetchableModel(PROJECT_ROOT, 'kokoro-82m')).rejects.toThrow('fetched by the service tts')
  await expect(fetchableModel(PROJECT_ROOT, 'none')).rejects.toThrow('the catalogue has no model none; it has qwen')
})
