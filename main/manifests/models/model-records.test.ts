import { expect, it } from 'vitest'
import { MODEL_BACKENDS } from '../../../contract/manifests/model-backends.ts'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { knownOf, modelRecordsFolder, otherModelWords } from './model-records.ts'

it('a model whose service answers as another one is named once, and one that answers as itself is not', async () => {
  const root = await temporaryFolder('model-records')
  const base_url = 'http://127.0.0.1:1/v1'
  const known = new KnownModels(modelRecordsFolder(root))
  known.of(base_url, 'gen').learn({ answers_as: 'gpt-cheap' })
  known.of(base_url, 'other').learn({ answers_as: null, streams: true })
  const choice = (model: string) => MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model, base_url })
  expect(otherModelWords(root, [choice('gen'), choice('other'), choice('gen'), choice('unknown')])).toEqual([
    'the service at http://127.0.0.1:1/v1 answers as gpt-cheap, where gen was asked for: check which model it runs, or name that one in the model set',
  ])
})

it('a model is known with the time of its last lesson, and one that was never called is not', async () => {
  const root = await temporaryFolder('model-records')
  const base_url = 'http://127.0.0.1:1/v1'
  const known = new KnownModels(modelRecordsFolder(root))
  known.of(base_url, 'gen').learn({ streams: true })
  const choice = (model: string) => MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model, base_url })
  expect(knownOf(root, choice('gen'))).toEqual({ known: ['streams'], learned_at: expect.stringMatching(/^20.*Z$/) })
  expect(knownOf(root, choice('other'))).toEqual({ known: [], learned_at: null })
})
