import { useMantineColorScheme } from '@mantine/core'
import type { SpotlightActionData } from '@mantine/spotlight'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { serviceDescriptor } from '../../contract/control/service-list.ts'
import type { ServiceName, ServiceStateName } from '../../contract/control/services.ts'
import { notifyDone, notifyFailure } from '../components/notify.ts'
import { api } from '../data/client.ts'
import { useActiveRun } from '../data/progress.ts'
import { useSmokeRun } from '../features/home/use-smoke-run.ts'
import { useRunControl } from '../features/ladder/run-control.ts'
import { EXPORT_FORMATS, exportRun } from '../features/run/export-run.ts'
import { RUN_WORDS } from '../features/run/run-words.ts'
import { SETTINGS_PARTS } from '../features/settings/settings-words.ts'
import { usePreferences } from '../stores/preferences.ts'
import { useBlind } from '../stores/sight.ts'
import { useTour } from '../stores/tour.ts'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.commandPalette

const CAN_START: readonly ServiceStateName[] = ['idle', 'stopped', 'failed']
const CAN_STOP: readonly ServiceStateName[] = ['starting', 'ready', 'backoff']

/** The run under way: pause, resume, and cancel, which its page asks about. */
function useRunCommands(): SpotlightActionData[] {
  const navigate = useNavigate()
  const job = useActiveRun()
  const { pause, resume } = useRunControl()
  if (job === null) return []
  const { run_id: run, state } = job
  return [
    ...(state === 'running' ? [{ id: 'pause', label: WORDS.pause(run), onClick: () => pause(run) }] : []),
    ...(state === 'paused' ? [{ id: 'resume', label: WORDS.resume(run), onClick: () => resume(run) }] : []),
    {
      id: 'cancel',
      label: WORDS.cancel(run),
      description: WORDS.cancelAbout,
      onClick: () => void navigate({ to: '/runs/$run/progress', params: { run } }),
    },
  ]
}

function useServiceCommands(): SpotlightActionData[] {
  const services = useQuery(api.services.list.queryOptions()).data ?? []
  const start = useMutation(api.services.start.mutationOptions({ meta: { failed: WORDS.starting } }))
  const stop = useMutation(api.services.stop.mutationOptions({ meta: { failed: WORDS.stopping } }))
  const titleOf = (name: ServiceName): string => serviceDescriptor(name).title
  return services.flatMap(({ name, state }) => [
    ...(CAN_START.includes(state)
      ? [{ id: `start-${name}`, label: WORDS.startService(titleOf(name)), onClick: () => start.mutate({ name }) }]
      : []),
    ...(CAN_STOP.includes(state)
      ? [{ id: `stop-${name}`, label: WORDS.stopService(titleOf(name)), onClick: () => stop.mutate({ name }) }]
      : []),
  ])
}

/** Files of the dataset run that the address names. */
function useExportCommands(): SpotlightActionData[] {
  const { run } = useParams({ strict: false })
  const { dataset } = useSearch({ strict: false })
  if (run === undefined || dataset === undefined) return []
  return EXPORT_FORMATS.map((format) => ({
    id: `export-${format}`,
    label: WORDS.exportOf(RUN_WORDS.exports[format]),
    description: `${dataset} · ${run}`,
    onClick: () =>
      void exportRun(format, run, dataset).then(
        (name) => notifyDone(RUN_WORDS.saved(name)),
        (error: unknown) => notifyFailure(RUN_WORDS.theExport, error),
      ),
  }))
}

/** An approach by its name: New run with it alone. */
function useApproachCommands(): SpotlightActionData[] {
  const navigate = useNavigate()
  const blind = useBlind()
  const aliases = useQuery({ ...api.experiment.get.queryOptions(), enabled: !blind }).data?.aliases ?? []
  return aliases.map(({ alias }) => ({
    id: `approach-${alias}`,
    label: WORDS.runApproach(alias),
    description: WORDS.runApproachAbout,
    onClick: () => void navigate({ to: '/launch', search: { models: [alias] } }),
  }))
}

/** Everything that the palette can do besides opening something. `more`: also what is too much to list before a word is typed. */
export function usePaletteCommands(more: boolean): SpotlightActionData[] {
  const navigate = useNavigate()
  // Holding transitions back would write a `<style>` element, which the content-security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const { density, setDensity } = usePreferences()
  const blind = useBlind()
  const { open: openTour } = useTour()
  const { smoke, start } = useSmokeRun()
  const ofRun = useRunCommands()
  const ofServices = useServiceCommands()
  const exports = useExportCommands()
  const approaches = useApproachCommands()
  return [
    ...ofRun,
    { id: 'launch', label: WORDS.launch, onClick: () => void navigate({ to: '/launch' }) },
    ...(smoke === undefined
      ? []
      : [{ id: 'smoke', label: WORDS.runSmoke, description: smoke.description, onClick: start }]),
    ...(blind ? [] : [{ id: 'tour', label: WORDS.tour, onClick: openTour }]),
    ...(blind ? [] : exports),
    ...SETTINGS_PARTS.map(({ value, label }) => ({
      id: `settings-${value}`,
      label: WORDS.settings(label),
      onClick: () => void navigate({ to: '/settings', search: { tab: value } }),
    })),
    ...(['light', 'dark', 'auto'] as const)
      .filter((scheme) => scheme !== colorScheme)
      .map((scheme) => ({ id: scheme, label: WORDS.look(scheme), onClick: () => setColorScheme(scheme) })),
    ...(['comfortable', 'compact'] as const)
      .filter((choice) => choice !== density)
      .map((choice) => ({ id: choice, label: WORDS.density(choice), onClick: () => setDensity(choice) })),
    ...(more ? [...ofServices, ...approaches] : []),
  ]
}
