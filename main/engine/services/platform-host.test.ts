import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { PlatformHost } from './platform-host.ts'

it('a run that is cancelled does not wait for the services that read its corpus', async () => {
  const host = new PlatformHost({
    root: PROJECT_ROOT,
    stateDir: await temporaryFolder('platform-host'),
    launcher: { launch: () => expect.fail('the platform was started') },
    env: {},
    emit: () => undefined,
    readers: () => new Promise(() => undefined),
  })
  const source = await host.beginRun(null)
  const cancel = new AbortController()
  const started = source.start('smoke', cancel.signal)
  cancel.abort(new Error('cancelled'))
  await expect(started).rejects.toThrow('cancelled')
})
