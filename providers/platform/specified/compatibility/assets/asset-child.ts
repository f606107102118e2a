import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { AssetError } from './asset-error.ts'
import { processModel } from './process-model.ts'
import type { AssetAnswer, AssetRequest } from './protocol.ts'

/** Entry of a process that reads one untrusted model. Its parent kills it at the deadline. */
async function handle({ input, output, command }: AssetRequest): Promise<AssetAnswer> {
  const file = await readFile(input)
  const outcome = await processModel(file, command).catch((error: unknown) => error)
  if (outcome instanceof AssetError) return { ok: false, code: 'invalid', message: outcome.message }
  if (!isProcessed(outcome)) return { ok: false, code: 'unreadable', message: describe(outcome) }
  const { bytes, summary } = outcome
  await writeFile(output, bytes, { mode: 0o600, flush: true })
  return { ok: true, summary, sha256: hash('sha256', bytes), sizeBytes: bytes.byteLength }
}

const isProcessed = (outcome: unknown): outcome is Awaited<ReturnType<typeof processModel>> =>
  typeof outcome === 'object' && outcome !== null && 'summary' in outcome
const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

process.on('message', (request: AssetRequest) => {
  void handle(request)
    .catch((error: unknown): AssetAnswer => ({ ok: false, code: 'failed', message: describe(error) }))
    .then((answer) => process.send!(answer))
})
// The parent has ended, so the result has no recipient.
process.once('disconnect', () => process.exit(0))
