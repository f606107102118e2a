import { expect, it } from 'vitest'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import { inLearnedBatches } from './learned-batches.ts'
import { ModelCallError } from './model-host.ts'

const texts = (count: number, length = 10): string[] => Array.from({ length: count }, () => 'x'.repeat(length))

/** Asks a service that refuses batches, and returns the sizes of all requests and the limit that is kept. */
async function asked(input: readonly string[], refusal: (batch: readonly string[]) => string | null) {
  const known = new KnownModels().of('http://127.0.0.1:1/v1', 'e')
  const sizes: number[] = []
  const work = inLearnedBatches(known, input, 32, async (batch) => {
    sizes.push(batch.length)
    const text = refusal(batch)
    if (text !== null)
      throw new ModelCallError('bad_request', 'embed', text, { status: 413, said: { text, param: null } })
  })
  const failure = await work.then(
    () => null,
    (error: unknown) => (error as Error).message,
  )
  return { sizes, failure, limit: known.record.embedding_batch }
}

it('a limit of the number of texts is found by halving and kept', async () => {
  expect(
    await asked(texts(40), ({ length }) => (length > 8 ? `batch size ${length} > maximum allowed batch size 8` : null)),
  ).toEqual({ sizes: [32, 16, 8, 8, 8, 8, 8], failure: null, limit: 8 })
})

it('a limit of bytes halves the batch that exceeds it, and later batches of short texts are whole', async () => {
  const bytes = (batch: readonly string[]) =>
    batch.join('').length > 4000 ? 'the request body is larger than 4000 bytes' : null
  expect(await asked([...texts(1, 3000), ...texts(31, 50), ...texts(64)], bytes)).toEqual({
    sizes: [32, 16, 32, 32, 16],
    failure: null,
    limit: null,
  })
})

it('one text that is refused alone fails with the words of the service and teaches no limit', async () => {
  const tooLong = (batch: readonly string[]) => (batch.some((text) => text.length > 5000) ? 'Payload Too Large' : null)
  expect(await asked([...texts(3), ...texts(1, 6000)], tooLong)).toEqual({
    sizes: [4, 2, 2, 1, 1],
    failure: 'Payload Too Large',
    limit: null,
  })
})
