import { serve } from 'sluice/thread';
import { registry } from './index.ts';

export default serve(registry);
