import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { serviceOfKeyIn } from '../../../core/key-forms.ts'
import { holdsSecret } from '../../../core/known-secrets.ts'
import { keyFinder } from '../../lib/trust/key-fingerprints.ts'
import type { ArtifactProblem, CheckedArtifact } from './validate-artifacts.ts'

/**
 * Published artifacts are committed and shared: one that holds a credential is refused, whether this process has it, a run of this person had it, or a
 * text has the form of one. The credential is not quoted. The returned function throws the system's error; this one `SecretsError` for a damaged list of keys.
 */
export async function credentialFinder({
  runId,
  allowKeyExamples = false,
}: {
  runId: string
  /** True where texts in the form of a key are examples of documents. */
  allowKeyExamples?: boolean
}): Promise<(artifact: Pick<CheckedArtifact, 'path'>) => Promise<ArtifactProblem | null>> {
  const holdsKnownKey = await keyFinder()
  const remedy = 'revoke it at its service, then make the run again or remove the credential from the file'
  const problemOf = (text: string): string | null => {
    if (holdsSecret(text)) return `holds a credential that is in use now: ${remedy}`
    if (holdsKnownKey(text)) return `holds a credential that was in use on this computer: ${remedy}`
    const service = allowKeyExamples ? null : serviceOfKeyIn(text)
    if (service === null) return null
    const example = `if it is an example of a document: rag-ladder publish --run-id ${runId} --allow-key-examples`
    return `holds a text in the form of a key (${service}): if it is one, ${remedy}; ${example}`
  }
  return async ({ path }) => {
    let line = 0
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      line += 1
      const problem = problemOf(text)
      if (problem !== null) return { file: basename(path), code: 'credential', message: `line ${line} ${problem}` }
    }
    return null
  }
}
