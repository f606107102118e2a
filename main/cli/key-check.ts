import { outgoingKeys } from '../lib/trust/outgoing-keys.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { flag, flagOption, type Invocation } from './command.ts'

/** The option of every command that writes something for others. */
export const KEY_EXAMPLES_OPTION = flag('write texts in the form of a key too: they are examples of documents')

/** Returns a function that throws `InputError` for a text that holds a key; `command` is the one that is given, without the program. */
export async function keyCheck(invocation: Invocation, command: string): Promise<(text: string, name: string) => void> {
  const areExamples = flagOption(invocation, 'allow-key-examples')
  const keys = await outgoingKeys(areExamples ? null : `rag-ladder ${command} --allow-key-examples`)
  return (text, name) => {
    const problem = keys.inText(text)
    if (problem !== null) throw new InputError([`${name} is not written: it ${problem}`])
  }
}
