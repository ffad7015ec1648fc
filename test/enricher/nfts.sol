// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// An ERC-721 and ERC-1155 in one, whose documents are where anybody says.
contract Nfts {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 value);
    event MetadataUpdate(uint256 id);

    mapping(uint256 => string) private uris;

    function mint(uint256 id, string calldata text) external {
        uris[id] = text;
        emit Transfer(address(0), msg.sender, id);
    }

    function mintSome(uint256 id, string calldata text) external {
        uris[id] = text;
        emit TransferSingle(msg.sender, address(0), msg.sender, id, 1);
    }

    function change(uint256 id, string calldata text) external {
        uris[id] = text;
        emit MetadataUpdate(id);
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        require(bytes(uris[id]).length > 0, "nobody has it");
        return uris[id];
    }

    function uri(uint256 id) external view returns (string memory) {
        return uris[id];
    }
}
