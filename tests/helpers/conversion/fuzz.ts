import type { ConversionResult } from '../../../contract/http/conversion.ts'
import { mutated } from './mutate.ts'

/** Describes how conversions of damaged files ended. */
export interface FuzzTally {
  refused: number
  converted: number
  /** Answers that are not expected refusals, such as 500, and successes without any content. */
  wrong: string[]
  slowestMs: number
}

const EXPECTED = [413, 415, 422]

/** Sends `count` damaged copies of the files to a converter, one after another. */
export async function fuzzConverter(
  url: string,
  token: string,
  files: ReadonlyMap<string, Uint8Array>,
  count: number,
  seed = 1,
): Promise<FuzzTally> {
  const tally: FuzzTally = { refused: 0, converted: 0, wrong: [], slowestMs: 0 }
  const names = [...files.keys()]
  for (let turn = 0; turn < count; turn += 1) {
    const name = names[turn % names.length]!
    const form = new FormData()
    form.append('file', new Blob([mutated(files.get(name)!, seed + turn)]), name)
    const started = performance.now()
    const response = await fetch(`${url}/v1/document/convert`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    })
    const body = (await response.json()) as Partial<ConversionResult> & { detail?: unknown }
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started)
    if (response.status === 200) {
      tally.converted += 1
      if ((body.content ?? '').trim() === '')
        tally.wrong.push(`${name}, seed ${seed + turn}: a success without content`)
    } else if (EXPECTED.includes(response.status)) tally.refused += 1
    else tally.wrong.push(`${name}, seed ${seed + turn}: ${response.status} ${JSON.stringify(body.detail)}`)
  }
  return tally
}
