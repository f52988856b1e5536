"""Adds to every call in conversation.json what the Python client makes of its recorded reply.

Needs the packages music-assistant-client 1.3.4 and music-assistant-models 1.1.97, the releases for protocol 29:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install music-assistant-client==1.3.4 music-assistant-models==1.1.97
    /tmp/venv/bin/python expect.py
"""

import asyncio
import datetime
import enum
import json
import pathlib

import aiohttp
from music_assistant_client import MusicAssistantClient
from music_assistant_models.api import ServerInfoMessage
from music_assistant_models.auth import User
from music_assistant_models.media_items import Playlist, media_from_dict


def plain(value):
    """A value as JSON has it; sets are sorted."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


async def answer(call):
    """Runs the client's method for a call on the recorded reply."""
    async with aiohttp.ClientSession() as session:
        return await answer_with(MusicAssistantClient("http://127.0.0.1:8095", session), call)


async def answer_with(client, call):
    client._server_info = ServerInfoMessage.from_dict(SERVER)

    async def send_command(command, require_schema=None, **arguments):
        assert command == call["command"], (command, call["command"])
        return call["reply"]

    client.send_command = send_command
    music, queues, players = client.music, client.player_queues, client.players
    name, arguments = call["method"], call["arguments"]
    if name == "image_url":
        item = media_from_dict(call["reply"])
        return client.get_media_item_image_url(item)
    if name == "user":
        return User.from_dict(await send_command("auth/me"))
    if name == "info":
        return ServerInfoMessage.from_dict(await send_command("info"))
    if name == "queues":
        return await queues._get_player_queues()
    if name == "players":
        return await players._get_players()
    if name == "save_as_playlist":
        return Playlist.from_dict(await send_command("player_queues/save_as_playlist"))
    for part in (music, queues, players):
        if hasattr(part, name):
            return await getattr(part, name)(**arguments)
    raise ValueError(name)


path = pathlib.Path(__file__).with_name("conversation.json")
calls = json.loads(path.read_text())
SERVER = next(call["reply"] for call in calls if call["method"] == "info")
for call in calls:
    call["expected"] = plain(asyncio.run(answer(call)))
lines = [json.dumps(call, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for call in calls]
path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
print(len(calls), "calls")
