import { app } from 'electron'
import { SupervisedService } from '../../main/supervisor/supervised-service.ts'
import { createUtilityLauncher } from '../../main/shell/utility-launcher.ts'

// A main process that has nothing but the launcher of the packaged app; specs name what it starts.
export interface UtilityHost {
  /** A supervised service of `module` in the host's folder. */
  service(module: string, env: Record<string, string>): SupervisedService
}

const [folder, bootstrap] = [process.env['HOST_FOLDER']!, process.env['HOST_BOOTSTRAP']!]
const launcher = createUtilityLauncher(bootstrap)
const host: UtilityHost = {
  service: (module, env) =>
    new SupervisedService(
      {
        name: module,
        launch: { entry: `${folder}/${module}.js`, env },
        probe: async (url) => (await fetch(url)).ok,
        graceMs: 300,
      },
      launcher,
    ),
}
Object.assign(globalThis, { host })
app.on('window-all-closed', () => undefined)
