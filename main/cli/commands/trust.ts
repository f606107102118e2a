import { originOf, distrustAddresses, trustAddresses, trustedOrigins } from '../../lib/trusted-addresses.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, flagOption, type Command } from '../command.ts'

export const trustCommand: Command = {
  name: 'trust',
  summary:
    'Allow an address that a project names to get your keys, on this computer and for every project; without an address, list those allowed.',
  positionals: '<address…>',
  options: { remove: { type: 'boolean', description: 'do not allow the address any more' } },
  async run({ positionals, values, env, stdout }) {
    const wrong = positionals.filter((address) => originOf(address) === null)
    if (wrong.length > 0)
      throw new InputError(wrong.map((address) => `${address}: expected an address such as https://llm.example.com`))
    if (flagOption({ values }, 'remove')) distrustAddresses(positionals, env)
    else trustAddresses(positionals, env)
    const allowed = trustedOrigins(env)
    stdout.write(
      allowed.length === 0
        ? 'No address is allowed to get keys beyond their own services.\n'
        : `${allowed.join('\n')}\n`,
    )
    return EXIT.ok
  },
}
