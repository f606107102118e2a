import { existsSync } from 'node:fs'
import { plural } from '../../../contract/words.ts'
import { recoverTornTail } from '../../evidence/files/recover-torn-tail.ts'
import { verifyEvidence } from '../../evidence/verify-evidence.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EvidenceRefusedError } from '../../runner/cells/open-evidence.ts'
import { EXIT, type Command } from '../command.ts'
import { evidenceArguments, pickOptions } from '../options.ts'

export const recoverCommand: Command = {
  name: 'recover',
  positionals: '<evidence.jsonl>',
  options: pickOptions('project'),
  async run(invocation) {
    const { stdout } = invocation
    const [file, ...rest] = evidenceArguments(invocation)
    if (file === undefined || rest.length > 0)
      throw new InputError(['name one evidence file, or set MATRIX_CANONICAL_FILE'])
    if (!existsSync(file)) throw new InputError([`${file}: there is no such file`])
    const outcome = await recoverTornTail(file)
    if (!outcome.ok) {
      if (outcome.refusal.code !== 'not_torn') throw new EvidenceRefusedError(outcome.refusal)
      // A file that `verify` calls whole is not refused here either.
      const { problems } = await verifyEvidence(file)
      if (problems[0] !== undefined) throw new EvidenceRefusedError(problems[0])
      stdout.write(`${file} is whole: there is nothing to recover; resume the run\n`)
      return EXIT.ok
    }
    stdout.write(
      `${plural(outcome.rows, 'row')} kept; the ${plural(outcome.movedBytes, 'byte')} after that moved to ${outcome.movedTo}\n`,
    )
    return EXIT.ok
  },
}
