import { recoverTornTail } from '../../evidence/recover-torn-tail.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EvidenceRefusedError } from '../../runner/resume-error.ts'
import { EXIT, type Command } from '../command.ts'

export const recoverCommand: Command = {
  name: 'recover',
  summary: 'Move the unfinished last line of an evidence file aside, so that the run can be resumed.',
  positionals: '<evidence.jsonl>',
  options: {},
  async run({ positionals, stdout }) {
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new InputError(['name one evidence file'])
    const outcome = await recoverTornTail(file)
    if (!outcome.ok) throw new EvidenceRefusedError(outcome.refusal)
    stdout.write(`${outcome.rows} rows stay; ${outcome.movedBytes} bytes after them are in ${outcome.movedTo}\n`)
    return EXIT.ok
  },
}
