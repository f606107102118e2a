import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { EngineForm } from '../features/settings/engine-form.tsx'
import { IndexPanel } from '../features/settings/index-panel.tsx'
import { LookPanel } from '../features/settings/look-panel.tsx'
import { SecretsPanel } from '../features/settings/secrets-panel.tsx'

/** Look, endpoints, secrets, and the index. */
export function SettingsPage() {
  const { data, isPending, isError, error, refetch } = useQuery(api.settings.get.queryOptions())
  return (
    <Page title="Settings">
      <LookPanel />
      {isPending && <LoadingRows rows={12} height={40} />}
      {isError && <ErrorPanel error={error} what="The settings" retry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <EngineForm view={data} />
          <SecretsPanel view={data} />
          <IndexPanel folders={data.folders} />
        </>
      )}
    </Page>
  )
}
