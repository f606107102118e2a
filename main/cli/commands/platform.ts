import { once } from 'node:events'
import { resolve } from 'node:path'
import { InputError } from '../../manifests/runner-inputs.ts'
import { SECRETS_FILE } from '../../runner/platform/platform-source.ts'
import { EXIT, type Command } from '../command.ts'
import { pickOptions, PORT_OPTION } from '../options.ts'
import { choosePlatform, setUpRun, STATE_FOLDER } from '../run-setup.ts'
import { STOP_SIGNALS } from '../stop-signals.ts'

export const platformCommand: Command = {
  name: 'platform',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'model-set'),
    port: {
      ...PORT_OPTION,
      description: 'port instead of PLATFORM_PORT; 4871 unless given, any when that is taken',
    },
  },
  collectsProblems: true,
  async run(invocation) {
    const setup = await setUpRun(invocation)
    const [dataset] = setup.datasets
    if (dataset === undefined) throw new InputError(['--dataset: name one dataset'])
    const source = choosePlatform(setup, invocation, (event) => {
      if (event.type === 'service.changed') invocation.stderr.write(`${event.service}: ${event.state}\n`)
    })
    const stop = new AbortController()
    for (const signal of STOP_SIGNALS) process.once(signal, () => stop.abort())
    const stopped = once(stop.signal, 'abort')
    const platform = await source.start(dataset.profile.name, stop.signal)
    invocation.stdout.write(`${platform.url}  serves ${dataset.dataset.id}\n`)
    if (source.kind === 'embedded')
      invocation.stderr.write(`credentials: ${resolve(setup.root, STATE_FOLDER, SECRETS_FILE)}\n`)
    await stopped
    await platform.stop()
    return EXIT.ok
  },
}
