import { timestampMs } from '@bufbuild/protobuf/wkt'
import { RewardService } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { callOf, rolesOf, useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { useWorth } from '../members/worth.js'
import { ImportScreen } from './import-screen.js'
import { Run } from './run.js'

const run = new Run('codes')
const method = RewardService.method.importCodes

export function CodeImport() {
  const t = useWords()
  const { rewards } = useCommands()
  const { fields, worth } = useWorth('import-codes')
  const { currencyId = '', amount = 0n, expiresAt } = worth?.request ?? {}
  const key = [currencyId, amount, expiresAt === undefined ? '' : timestampMs(expiresAt)].join()
  return (
    <ImportScreen<string>
      title={t('imports.codes')}
      what={<p>{t('imports.codesWhat')}</p>}
      call={callOf(method)}
      roles={rolesOf(method)}
      columns={[{ name: 'code', label: t('grant.code'), isRequired: true }]}
      headless="code"
      run={run}
      example={[['code'], ['AUTUMN-7K2M-01'], ['AUTUMN-9QX4-02']]}
      choicesKey={worth === null ? null : key}
      choices={fields}
      read={(cell) => ({ row: cell('code') })}
      send={() =>
        async (codes, { requestId, isCheck }) => {
          await rewards.importCodes({ ...worth!.request, requestId, codes: [...codes], dryRun: isCheck })
          return { imported: codes.length }
        }}
      countsText={({ imported = 0 }, isCheck) =>
        t(isCheck ? 'imports.codesRight' : 'imports.codesDone', { count: imported })
      }
    />
  )
}
