import type { ServiceConnection } from '../manifests/models/connections.ts'
import type { ArtifactPlace } from '../evidence/files/artifact-files.ts'
import type { EngineConfig } from './engine-config.ts'
import type { EventHub } from './event-hub.ts'
import type { ExperimentSource } from './experiment-source.ts'
import type { Sessions } from './http/sessions.ts'
import type { IndexGateway } from './index-gateway.ts'
import type { NotesStore } from './notes-store.ts'
import type { PanelStore } from './panel-store.ts'
import type { BlindJudging } from './judging/blind-judging.ts'
import type { JudgePreparation } from './judging/judge-preparation.ts'
import type { RunControl } from './run-control/run-control.ts'
import type { TuningControl } from './tuning/tuning-control.ts'
import type { PlatformHost } from './services/platform-host.ts'
import type { ServiceRegistry } from './services/service-registry.ts'
import type { SettingsStore } from './settings-store.ts'

/** Everything that procedures call; the composition root makes it. */
export interface EngineParts {
  config: EngineConfig
  startedAt: string
  /** States where runs keep their artifacts. */
  artifacts: ArtifactPlace
  hub: EventHub
  experiment: ExperimentSource
  settings: SettingsStore
  /** Addresses of services outside of this program, as of the engine's start. */
  connections: readonly ServiceConnection[]
  runs: RunControl
  tunings: TuningControl
  notes: NotesStore
  panel: PanelStore
  platform: PlatformHost
  services: ServiceRegistry
  index: IndexGateway
  judging: BlindJudging
  preparation: JudgePreparation
  sessions: Sessions
  /** Ends all streams when the engine ends. */
  stopping: AbortSignal
  newLink: () => { url: string; expiresAt: number }
  report: (error: unknown) => void
}
